"""Tools of the notebooks: sweeps over grids of cells, figures, and the record of what was verified."""
