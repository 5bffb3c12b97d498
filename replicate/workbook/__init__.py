"""What notebooks are made with: sweeps over grids of cells, figures, and the record of what was verified."""
