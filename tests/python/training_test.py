"""Runs: training, their results, and errors."""
import gc
import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest
import weakref

import numpy

import troupe
from support import PLUGIN, PROGRAM, InFolder, examples


def program(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)


class Training(InFolder):
    def test_arrays_train_to_the_same_bits_as_files_in_the_program(self):
        x, y = examples()
        numpy.save("x.npy", x)
        numpy.save("y.npy", y)
        ended = program("train", "-q", "--json", "problem.name=npy", "problem.inputs=x.npy", "problem.targets=y.npy",
                        "model.name=mlp", "model.hidden=[8]", "training.epochs=2", "training.seed=1")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(self.trained().result["parameters"], json.loads(ended.stdout)["parameters"])

    def test_a_model_that_has_learned_predicts_the_classes(self):
        x, y = examples(2000)
        run = self.trained(troupe.Problem.from_arrays(x, y), training__epochs=20)
        self.assertEqual(run.outcome, "finished")
        self.assertGreater((run.predict(x).argmax(1) == y).mean(), 0.9)
        self.assertGreater(run.metrics["accuracy"], 0.9)

    def test_the_program_reads_a_run_of_python(self):
        x, _ = examples()
        run = self.trained(extensions=[troupe.extension(lambda event: None, name="watch")])
        numpy.save("x.npy", x)
        ended = program("predict", run.folder, "-i", "x.npy", "-o", "y.npy")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertTrue((numpy.load("y.npy") == run.predict(x)).all())

    def test_the_program_says_that_it_does_not_have_the_arrays(self):
        run = self.trained()
        ended = program("train", "--resume", run.folder, "training.epochs=3")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("save them with numpy.save", ended.stderr)

    def test_parameters_are_arrays_by_name_that_cannot_be_written(self):
        run = self.trained()
        self.assertEqual({name: array.shape for name, array in run.parameters.items()},
                         {"linear0.weight": (2, 8), "linear0.bias": (8,), "linear1.weight": (8, 3), "linear1.bias": (3,)})
        with self.assertRaises(ValueError):
            run.parameters["linear0.bias"][0] = 1

    def test_an_array_of_parameters_outlives_its_run(self):
        weight = self.trained().parameters["linear0.weight"]
        self.assertTrue(numpy.isfinite(weight).all())

    def test_logs_are_arrays_of_one_length(self):
        log = self.trained().log()
        self.assertEqual({array.shape for array in log.values()}, {log["batch"].shape})
        self.assertTrue((numpy.diff(log["batch"]) > 0).all())
        self.assertEqual(log["epoch"].max(), 2)
        self.assertEqual(numpy.isfinite(log["validation_loss"]).sum(), 3)  # and before the first epoch

    def test_a_run_is_opened_by_its_folder_and_by_latest(self):
        run = self.trained()
        for opened in (troupe.open(run.folder), troupe.open()):
            self.assertTrue(os.path.samefile(opened.folder, run.folder))
            self.assertEqual(opened.result["parameters"], run.result["parameters"])
        with self.assertRaises(troupe.FileError):
            troupe.open("nowhere")

    def test_a_run_that_ended_is_resumed(self):
        problem = troupe.Problem.from_arrays(*examples())
        whole = self.trained(problem, training__epochs=4)
        part = self.trained(problem)
        resumed = troupe.train(problem, resume=part.folder, training__epochs=4)
        self.assertEqual(resumed.folder, part.folder)
        self.assertEqual(resumed.result["parameters"], whole.result["parameters"])

    def test_rows_are_followed_until_the_run_ends(self):
        training = troupe.start(troupe.Problem.from_arrays(*examples()), model="mlp", training={"epochs": 3})
        rows = list(training.follow())
        run = training.wait()
        self.assertEqual(sum("validation_loss" in row for row in rows), 4)  # and before the first epoch
        self.assertEqual(len(list(run.follow())), len(rows))

    def test_a_background_run_ends_softly(self):
        training = troupe.start(troupe.Problem.from_arrays(*examples()), model="mlp", training={"epochs": 0})
        next(training.follow())
        self.assertFalse(training.done)
        training.stop()
        run = training.wait()
        self.assertEqual(run.outcome, "interrupted")
        self.assertTrue(training.done)
        self.assertEqual(run.predict(examples()[0]).shape, (400, 3))

    def test_two_runs_train_at_once(self):
        problem = troupe.Problem.from_arrays(*examples())
        trainings = [troupe.start(problem, model={"name": "mlp", "hidden": [8]}, training={"epochs": 2, "seed": 1},
                                  folder=name) for name in ("one", "two")]
        ended = {training.wait().result["parameters"] for training in trainings}
        self.assertEqual(ended, {self.trained(problem).result["parameters"]})

    def test_arrays_and_callables_are_let_go_after_training(self):
        x, y = examples()
        watch = troupe.extension(lambda event: None, name="watch", after_batch=True)
        problem = troupe.Problem.from_arrays(x, y)
        self.trained(problem, extensions=[watch])
        held = [weakref.ref(each) for each in (x, y, watch, watch.function)]
        del x, y, watch, problem
        gc.collect()
        self.assertEqual([each() for each in held], [None] * 4)

    def test_nested_arguments_and_underscores_mean_the_same(self):
        self.assertEqual(self.trained(training={"epochs": 3, "batch_size": 32}).result["parameters"],
                         self.trained(training__epochs=3, **{"training.batch_size": 32}).result["parameters"])

    def test_files_come_before_arguments(self):
        pathlib.Path("run.yaml").write_text("training: {epochs: 5, seed: 1}\nmodel: {name: mlp, hidden: [8]}\n")
        run = troupe.train(troupe.Problem.from_arrays(*examples()), files=["run.yaml"], training__epochs=2)
        self.assertEqual(run.result["parameters"], self.trained().result["parameters"])

    @unittest.skipUnless(PLUGIN, "needs a plugin that is built")
    def test_a_plugin_of_the_program_is_loaded(self):
        run = self.trained(plugins=[PLUGIN], extensions={"counted": True}, training__epochs=1)
        self.assertIn("counted_by_plugin", run.log())

    def test_a_problem_of_the_program_is_trained_on_by_its_section(self):
        run = self.trained({"name": "digits", "train": 64, "validation": 16, "test": 16}, training__epochs=1)
        self.assertEqual(run.predict(numpy.zeros((2, 28, 28), numpy.float32)).shape, (2, 10))


class Errors(InFolder):
    def test_an_unknown_key_is_an_error_with_the_nearest_one(self):
        with self.assertRaisesRegex(troupe.ConfigError, "did you mean 'epochs'") as caught:
            self.trained(training={"epoch": 3})
        self.assertEqual(caught.exception.code, 78)

    def test_a_value_that_no_configuration_has_is_refused(self):
        with self.assertRaisesRegex(TypeError, "no value of a configuration"):
            self.trained(training__epochs=object())

    def test_a_loss_that_is_not_a_number_fails_training(self):
        x, y = examples()
        with self.assertRaises(troupe.TrainingFailed) as caught:
            self.trained(troupe.Problem.from_arrays(x * 1e30, y), optimizer={"name": "sgd", "learning_rate": 1e30})
        self.assertTrue(os.path.isdir(caught.exception.folder))

    def test_a_file_that_is_missing_is_an_error_of_files(self):
        with self.assertRaises(troupe.FileError) as caught:
            self.trained({"name": "npy", "inputs": "x.npy", "targets": "y.npy"})
        self.assertIsInstance(caught.exception, OSError)

    def test_predicting_from_another_shape_is_refused(self):
        with self.assertRaisesRegex(ValueError, r"\[4, 3\], but the model's input is inputs float32 \[any, 2\]"):
            self.trained().predict(numpy.zeros((4, 3)))


class Process(InFolder):
    """Programs whose end matters."""

    PROLOGUE = ("import sys, os, signal, time, troupe; sys.path.insert(0, %r); from support import examples\n"
                "problem = troupe.Problem.from_arrays(*examples())\n" % os.path.dirname(os.path.abspath(__file__)))

    def run_program(self, text):
        return subprocess.run([sys.executable, "-c", self.PROLOGUE + text], capture_output=True, text=True, timeout=100)

    def test_ctrl_c_ends_training_after_the_epoch(self):
        ended = self.run_program(
            "@troupe.extension(after_n_epochs=2)\n"
            "def interrupt(event): os.kill(os.getpid(), signal.SIGINT)\n"
            "run = troupe.train(problem, model='mlp', training={'epochs': 0}, extensions=[interrupt])\n"
            "print(run.outcome, run.result['reason'])")
        self.assertEqual(ended.stdout, "interrupted interrupted (after the epoch)\n", ended.stderr)
        self.assertIn("press Ctrl-C again to end after this batch", ended.stderr)

    def test_a_program_that_ends_while_it_trains_saves_the_run(self):
        ended = self.run_program(
            "training = troupe.start(problem, model='mlp', training={'epochs': 0},\n"
            "                        extensions=[troupe.extension(lambda event: time.sleep(0.01), after_batch=True)])\n"
            "next(training.follow()); print(training.folder)")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(troupe.open(ended.stdout.strip()).outcome, "interrupted")


if __name__ == "__main__":
    unittest.main()
