"""The commands of this plugin: `rewards judge-report` and `rewards measure`."""
