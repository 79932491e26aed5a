"""Pictures: functions that draw tables and arrays on given Axes."""
