"""Real data in which a round is a person. Run it: ``python examples/one_person_a_round.py`` (needs statsmodels).

1. Eight forecasts of visits to a doctor, 5,912 people, all losses seen; which learner, and a private choice of it.
2. Asking 6,366 women whether their rating is r, only the answer seen, nobody trusted with it.
3. Five distributions of party identification, 472 respondents, each answer private before it is sent.
"""

import numpy as np
import pandas as pd

from replicate.advice import Question, advise
from replicate.advice.choosing import choose
from replicate.environments import people
from replicate.learners import protocol, registry
from replicate.papers import distribution_learning as dl
from replicate.streams import stream

FORECASTERS = ("exponential", "gumbel", "prefix_softmax", "hedge_tree_cube")
SCHEMES = ("pure", "posterior", "randomized_response", "non_private")
QUESTIONS = {
    "visits": {"feedback": "full", "losses": "iid"},
    "ratings": {"feedback": "bandit", "losses": "iid", "local": True},
}
"""The order of people is drawn, so that losses are independent of the past but for drawing without replacement."""


def order(name):
    """Return the stream that draws the order of people."""
    return stream(1, "order", name)


def advice(name, losses, *, epsilon=1.0, budget=5.0):
    """Rank the learners that fit on these losses: what is proved for such losses first."""
    question = Question(**QUESTIONS[name], n_actions=losses.shape[1], rounds=len(losses), epsilon=epsilon)
    ranking = advise(question, table=losses, budget=budget, seed=1).ranking
    return ranking[ranking["kind"].isin(["guaranteed", "not private"])]


def private_choice(losses, *, epsilon=1.0):
    """Choose a learner with half of epsilon and play it with the other half: epsilon for each person in all."""
    chosen = choose(losses, FORECASTERS, epsilon=epsilon / 2, rng=stream(1, "choice"))
    learner = registry.learner(
        chosen.learner, n_actions=losses.shape[1], horizon=len(losses), epsilon=epsilon / 2, rng=stream(1, "play")
    )
    return chosen.learner, float(protocol.play(learner, losses).final[0])


def parties(survey, *, epsilon=1.0, games=20):
    """Return the mean regret in log loss of every scheme, with its standard error."""
    rows = []
    for scheme in SCHEMES:
        finals = [
            dl.play_labels(
                survey.hypotheses, survey.labels, contexts=survey.contexts, scheme=scheme, epsilon=epsilon,
                rng=stream(1, "parties", scheme, i),
            ).final[0]
            for i in range(games)
        ]  # fmt: skip
        rows.append((scheme, np.mean(finals), np.std(finals, ddof=1) / np.sqrt(games)))
    return pd.DataFrame(rows, columns=["scheme", "regret", "standard error"])


def main():
    """Print the three games."""
    shown = ["label", "kind", "regret", "half_width", "of_uniform", "bound", "promise"]
    for name, read in {"visits": people.visits, "ratings": people.ratings}.items():
        losses = read(rng=order(name))
        print(f"\n{name}: {losses.shape[0]:,} people, epsilon = 1\n")
        print(advice(name, losses)[shown].groupby("kind").head(4).round(2).to_string(index=False))
        if name == "visits":
            learner, regret = private_choice(losses)
            print(f"\nchosen privately: {learner}, which then has regret {regret:.1f}")
    survey = people.parties(rng=order("parties"))
    print(f"\nparties: {len(survey.labels)} respondents, epsilon = 1, regret in nats\n")
    print(parties(survey).round(2).to_string(index=False))


if __name__ == "__main__":
    main()
