"""Sets of states: the interface, the stores, and the arrays behind them."""
