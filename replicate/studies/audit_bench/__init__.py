"""The audit against its field: the field's benchmark, a zoo of real errors, and what each audit certifies."""
