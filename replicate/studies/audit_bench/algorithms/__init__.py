"""The mechanisms under audit: those of the field's benchmark, and real errors with their corrected twins."""
