# %% [markdown]
# # Train from Python
#
# Cells of a notebook: run them one by one in an editor that knows `# %%`, or all with `python3 docs/tutorial/python.py`.
# The example takes some seconds; ./check runs it. How to get the package: docs/how-to/python.md.

# %% Arrays: 3000 spirals of two kinds. float32 and int32 are used where they are, without a copy.
import numpy as np
import troupe

random = np.random.default_rng(0)
kind = random.integers(0, 2, 3000).astype(np.int32)
radius = random.uniform(0.1, 1, 3000)
angle = 8 * radius + np.pi * kind
x = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).astype(np.float32)
problem = troupe.Problem.from_arrays(x, kind, validation=0.1, test=0.1)
print(problem)

# %% Train. Arguments are the configuration's keys: `training__epochs=30` is `training.epochs=30` of the program.
run = troupe.train(problem, model={"name": "mlp", "hidden": [64, 64]}, training={"epochs": 30, "seed": 1})
print(run.outcome, run.metrics, "in", run.folder)

# %% Predict: the model's output before the loss, so for classes one logit each.
logits = run.predict(x[:5])
print(logits.argmax(axis=1), kind[:5])
print({name: array.shape for name, array in run.parameters.items()})

# %% The log as arrays of one length; NaN where a row has no such record.
log = run.log()
measured = np.isfinite(log["validation_accuracy"])
print(np.c_[log["epoch"][measured], log["validation_accuracy"][measured]][-3:])

# %% An extension: a callable in a thread of its own. It returns records for the log, and may end training.
@troupe.extension(every_n_batches=20)
def watch(event):
    if event.loss < 0.1:
        event.stop("the loss is below 0.1")
    return {"perplexity": np.exp(event.loss)}


run = troupe.train(problem, model={"name": "mlp", "hidden": [64, 64]}, training={"epochs": 300, "seed": 1}, extensions=[watch])
print(run.result["reason"], np.nanmin(run.log()["perplexity"]))

# %% A run in the background, that is followed and steered. Another process does the same with its folder or its address.
training = troupe.start(problem, model="mlp", training__epochs=0, control={"address": "127.0.0.1:0"})
for row in training.follow():
    if "validation_accuracy" in row:
        print(row["epoch"], row["validation_accuracy"])
    if row["epoch"] == 3:
        break
with troupe.connect(training.folder) as connection:
    connection.set(learning_rate=0.001)
    print(connection.status()["learning_rate"])
    connection.stop()
run = training.wait()

# %% Continue a run, as if it had not stopped.
run = troupe.train(problem, resume=run.folder, training__epochs=run.result["epochs"] + 2)
print(run.outcome, run.result["epochs"], "epochs")
