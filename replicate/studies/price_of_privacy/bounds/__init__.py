"""Both sides of the limit.

- `games`: the games, their letters, and e**epsilon between two rationals; standard library only.
- `checker`: verifies a certificate, a learner and an adversary, in integers; standard library only.
"""
