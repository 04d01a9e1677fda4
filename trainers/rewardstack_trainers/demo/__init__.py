"""A run that really learns, offline and in about a minute: `rewards train --demo`."""
