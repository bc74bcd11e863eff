"""Extensions that are Python callables."""
import threading
import unittest

import numpy

import troupe
from support import InFolder, examples


class Extensions(InFolder):
    def test_a_callable_is_called_by_its_schedule_on_one_other_thread(self):
        calls = []

        @troupe.extension(every_n_batches=3, window=1000)
        def watch(event):
            calls.append((event.moment, event.batches, threading.get_ident()))

        self.trained(extensions=[watch])
        self.assertEqual([(moment, batch) for moment, batch, _ in calls], [("after_batch", 3), ("after_batch", 6),
                                                                          ("after_batch", 9)])
        self.assertEqual(len({thread for *_, thread in calls}), 1)
        self.assertNotEqual(calls[0][2], threading.get_ident())

    def test_without_a_schedule_it_is_called_after_each_epoch(self):
        calls = []
        self.trained(extensions=[lambda event: calls.append(event.epochs)])
        self.assertEqual(calls, [1, 2])

    def test_returned_records_are_in_the_log(self):
        @troupe.extension
        def count(event):
            return {"half": numpy.float32(0.5), "epochs_seen": event.epochs, "is_done": event.epochs == 2, "name": "count"}

        run = self.trained(extensions=[count])
        log = run.log()
        seen = numpy.isfinite(log["half"])
        self.assertEqual(log["half"][seen].tolist(), [0.5, 0.5])
        self.assertEqual(log["epochs_seen"][seen].tolist(), [1, 2])
        self.assertEqual(log["is_done"][seen].tolist(), [0, 1])
        self.assertIn("count", [row.get("name") for row in run.follow()])

    def test_parameters_are_those_of_their_moment(self):
        seen = []

        @troupe.extension(shows="parameters", window=100)
        def keep(event):
            seen.append(event.parameters)

        run = self.trained(extensions=[keep])
        self.assertEqual(len(seen), 2)
        self.assertFalse((seen[0]["linear0.weight"] == seen[1]["linear0.weight"]).all())
        self.assertTrue((seen[1]["linear0.weight"] == run.parameters["linear0.weight"]).all())

    def test_floats_that_were_not_asked_for_are_absent(self):
        sizes = []
        self.trained(extensions=[lambda event: sizes.append(len(event.parameters) + len(event.gradient))])
        self.assertEqual(sizes, [0, 0])

    def test_it_ends_training_and_changes_settings(self):
        rates = []

        @troupe.extension(after_epoch=True, window=1)
        def steer(event):
            rates.append(event.learning_rate)
            event.set(learning_rate=0.125)
            if event.learning_rate == 0.125:
                event.stop("the rate is low")

        run = self.trained(extensions=[steer], training__epochs=0)
        self.assertEqual((run.outcome, run.result["reason"]), ("finished", "the rate is low"))
        self.assertEqual(rates[-1], 0.125)

    def test_training_waits_for_a_gate_and_takes_its_settings_before_the_next_batch(self):
        rates = []

        @troupe.extension(after_batch=True, gate=True)
        def steer(event):
            rates.append(event.learning_rate)
            event.set(learning_rate=0.5 ** event.batches)
            if event.batches == 5:
                event.stop("five are enough")
            return {"calls": len(rates)}

        run = self.trained(extensions=[steer], training__epochs=0)
        self.assertEqual((run.outcome, run.result["reason"]), ("finished", "five are enough"))
        self.assertEqual(rates[1:], [0.5, 0.25, 0.125, 0.0625])
        self.assertEqual([row["calls"] for row in run.follow() if "calls" in row], [1, 2, 3, 4, 5])

    def test_a_callable_that_waits_loses_events_and_training_goes_on(self):
        waits = threading.Event()
        losses = []

        @troupe.extension(after_batch=True, window=1)
        def slow(event):
            waits.wait()
            losses.append(event.batches)

        training = troupe.start(troupe.Problem.from_arrays(*examples()), model="mlp", training={"epochs": 50},
                                extensions=[slow])
        for row in training.follow():
            if row["epoch"] == 50:  # all batches are done, though the first call has not returned
                break
        self.assertEqual(losses, [])
        waits.set()
        run = training.wait()
        report = [each for each in run.result["workers"][0]["extensions"] if each["name"] == "slow"][0]
        self.assertEqual(report["events"] + report["lost"], 250)
        self.assertEqual(len(losses), report["events"])
        self.assertGreater(report["lost"], 0)


class Exceptions(InFolder):
    def test_an_exception_is_reported_by_name_and_training_goes_on(self):
        @troupe.extension(every_n_batches=2)
        def broken(event):
            raise KeyError("nothing")

        with self.assertLogs("troupe") as logged:
            training = troupe.start(troupe.Problem.from_arrays(*examples()), model="mlp", training={"epochs": 0},
                                    extensions=[broken])
            console = self.folder / training.folder / "console.log"
            while not (console.exists() and "broken" in console.read_text()):
                self.assertFalse(training.done)
            training.stop()
            training.wait()
        self.assertIsInstance(broken.error, KeyError)
        self.assertIn("extension 'broken' raised KeyError", logged.output[0])
        self.assertEqual(len(logged.output), 1)
        self.assertIn("the actor of extension 'broken' has ended (KeyError: 'nothing'); training continues",
                      console.read_text())

    def test_an_exception_fails_training_if_that_is_asked_for(self):
        @troupe.extension(every_n_batches=2, on_error="fail", name="strict")
        def broken(event):
            raise ValueError("too small")

        with self.assertLogs("troupe"), self.assertRaisesRegex(troupe.TrainingFailed, "'strict'.*ValueError: too small"):
            self.trained(extensions=[broken], training__epochs=0)

    def test_what_is_no_record_is_reported_with_the_cure(self):
        for returned, cure in ((3, "return a dict of records"), ({"a": [1]}, "record 'a' is .*return a number")):
            strict = troupe.extension(lambda event, value=returned: value, on_error="fail", name="strict", after_batch=True)
            with self.assertRaisesRegex(troupe.TrainingFailed, cure):
                self.trained(extensions=[strict], training__epochs=0)

    def test_a_resumed_run_wants_its_callable_again(self):
        problem = troupe.Problem.from_arrays(*examples())
        run = self.trained(problem, extensions={"watch": lambda event: None})
        calls = []
        resumed = troupe.train(problem, resume=run.folder, training__epochs=3,
                               extensions={"watch": lambda event: calls.append(event.epochs)})
        self.assertEqual((resumed.outcome, calls), ("finished", [3]))
        with self.assertRaisesRegex(troupe.ConfigError, "hand it over again"):
            troupe.train(problem, resume=run.folder, training__epochs=4)
        troupe.train(problem, resume=run.folder, training__epochs=4, extensions={"watch": False})


if __name__ == "__main__":
    unittest.main()
