"""State stores: the common interface, the stores, and the arrays behind them."""
