"""Rule data of the games: one TOML file a game, each value with its status and source."""
