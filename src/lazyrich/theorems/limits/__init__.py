"""Where flows stop, one file per theorem."""
