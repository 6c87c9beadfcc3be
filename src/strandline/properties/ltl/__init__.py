"""LTL: text to formula, normal form, simplification, classes, meaning on lassos. Of automata it may import
guards alone."""
