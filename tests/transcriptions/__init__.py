"""Second transcriptions of the papers' explicit formulas, written from the papers and not from the package.

Each module holds one paper. A function is one displayed formula with its constants and logarithms in full, named
like the bound of the package that it is to be held against; its docstring names the place in the paper.

The rule: nothing here imports the package, and no transcription imports another one. What the paper puts
together from other formulas calls them. A disagreement with the package is then a slip in one of two independent
readings. `pairs` holds what the comparisons share (tests/papers/*/test_formulas.py); it knows no formula.

Conventions. `log` is the natural logarithm wherever a paper writes log or ln. Arguments are single numbers
(plain lists where a formula sums over actions), also where the package takes arrays. Where a paper
misprints a formula, either the name ends in `_printed` or `_corrected`, or `calibration` chooses. A name in
`_rate` stands for a statement with an order only (O, Omega, Theta), taken with constant one; the exception is
`prefix_softmax.theorem_1_rate`, which is (2) with its factor 1000.
"""
