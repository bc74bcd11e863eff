"""Remote control from Python: of a run of this process, and of one of the program."""
import subprocess
import time
import unittest

import troupe
from support import PROGRAM, InFolder, examples


class Control(InFolder):
    def running(self):
        """An endless run, held before its first batch."""
        return troupe.start(troupe.Problem.from_arrays(*examples()), model="mlp", training={"epochs": 0},
                            control={"address": "127.0.0.1:0", "paused": True})

    def test_a_paused_run_trains_batch_by_batch(self):
        training = self.running()
        with troupe.connect(training.folder) as connection:
            connection.step(3)
            status = connection.status()
            while status["batches"] < 3:
                status = connection.status()
            self.assertEqual(status["batches"], 3)
            connection.set(learning_rate=0.25)
            connection.step(1)
            while connection.status()["batches"] < 4:
                pass
            self.assertEqual(connection.status()["learning_rate"], 0.25)
            connection.stop()
        run = training.wait()
        self.assertEqual((run.outcome, run.result["reason"]), ("interrupted", "stopped by remote control"))

    def test_rows_are_followed_and_extensions_come_and_go(self):
        training = self.running()
        with troupe.connect(training.folder) as connection:
            connection.attach("norms", "often", every_n_batches=2)
            connection.resume()
            for row in connection.follow():
                if "gradient_norm" in row:
                    break
            self.assertEqual(row["batch"] % 2, 0)
            connection.detach("often")
            self.assertNotIn("often", [each["name"] for each in connection.status()["extensions"]])
            self.assertTrue(any("saved" in line for line in connection.save("kept.bin")) or
                            (self.folder / training.folder / "kept.bin").exists())
            connection.stop()
        training.wait()

    def test_a_callable_is_attached_to_a_run_of_this_process(self):
        seen = []

        @troupe.extension(every_n_batches=2, gate=True)
        def watch(event):
            seen.append(event.batches)
            return {"seen": len(seen)}

        training = self.running()
        with troupe.connect(training.folder) as connection:
            connection.attach(watch, "late")
            connection.resume()
            for row in connection.follow():
                if row.get("seen", 0) >= 3:  # rows may be skipped
                    break
            connection.detach("late")
            connection.stop()
        training.wait()
        self.assertEqual(seen[:3], [2, 4, 6])

    def test_a_command_that_the_run_refuses_is_an_error_with_its_sentence(self):
        training = self.running()
        with troupe.connect(training.folder) as connection:
            with self.assertRaisesRegex(troupe.ConfigError, "momentun"):
                connection.set(momentun=0.5)
            connection.resume()
            connection.stop()
        training.wait()

    def test_a_run_that_cannot_be_controlled_is_an_error(self):
        with self.assertRaises(troupe.FileError):
            troupe.connect(self.trained().folder)
        with self.assertRaises(troupe.UsageError):
            troupe.connect("127.0.0.1:1")

    def test_a_closed_connection_is_an_error(self):
        training = self.running()
        connection = troupe.connect(training.folder)
        connection.stop()
        connection.close()
        with self.assertRaisesRegex(troupe.Unavailable, "connect again"):
            connection.status()
        training.wait()

    def test_a_run_of_the_program_is_followed_and_ended(self):
        program = subprocess.Popen([PROGRAM, "train", "-q", "--control", "127.0.0.1:0", "problem.train=640", "training.epochs=0"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)  # only a failure leaves it running
        while not (found := list(self.folder.glob("runs/digits/*/*/control.json"))):
            self.assertIsNone(program.poll())
            time.sleep(0.05)
        with troupe.connect(found[0].parent) as connection:
            rows = connection.follow()
            self.assertIn("batch", next(rows))
            connection.stop()
            for _ in rows:  # to the end of the log
                pass
        program.wait()
        self.assertEqual(troupe.open().outcome, "interrupted")


if __name__ == "__main__":
    unittest.main()
