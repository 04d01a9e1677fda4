"""Training with a stack: TRL's GRPOTrainer first, then training runs, tasks and a memory plan.

Importing this package is cheap; torch, TRL and transformers are imported by the modules that train.
"""
