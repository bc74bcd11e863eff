"""Problems from arrays."""
import unittest

import numpy

import troupe
from support import InFolder, examples


class FromArrays(unittest.TestCase):
    def test_arrays_of_the_right_type_are_read_where_they_are(self):
        x, y = examples()
        problem = troupe.Problem.from_arrays(x, y, split="ordered")
        self.assertEqual(problem.converted, ())
        x[3] = 7
        y[3] = 2
        batch = problem.batch([3])
        self.assertTrue((batch["inputs"] == 7).all())
        self.assertEqual(batch["targets"].tolist(), [2])

    def test_other_types_and_layouts_are_converted_once(self):
        x, y = examples()
        for given, names in ((x.astype(float), ("inputs", "targets")), (numpy.asfortranarray(x), ("inputs", "targets"))):
            problem = troupe.Problem.from_arrays(given, y.astype(numpy.int64), split="ordered")
            self.assertEqual(problem.converted, names)
            self.assertTrue((problem.batch([5])["inputs"] == x[5]).all())

    def test_lists_are_arrays_and_floats_a_regression(self):
        problem = troupe.Problem.from_arrays([[0.5], [1.5]], [1.0, 2.0], validation=0, test=0)
        batch = problem.batch([1])
        self.assertEqual(batch["targets"].dtype, numpy.float32)
        self.assertEqual(batch["targets"].shape, (1, 1))

    def test_sections_are_fractions_or_arrays_of_their_own(self):
        x, y = examples(100)
        problem = troupe.Problem.from_arrays(x, y, validation=0.2, test=(x[:7], y[:7]))
        self.assertEqual([problem.size(section) for section in ("train", "validation", "test")], [80, 20, 7])

    def test_a_number_that_is_not_finite_is_refused_with_its_place(self):
        x, y = examples()
        x[17, 1] = numpy.nan
        with self.assertRaisesRegex(troupe.DataError, "inputs, row 17, place 1: found nan"):
            troupe.Problem.from_arrays(x, y)

    def test_a_class_beyond_the_given_number_is_refused(self):
        x, y = examples()
        with self.assertRaisesRegex(troupe.DataError, "expected 0 to 1"):
            troupe.Problem.from_arrays(x, y, classes=2)

    def test_arrays_that_do_not_belong_together_are_refused(self):
        x, y = examples()
        with self.assertRaisesRegex(ValueError, "the arrays have 399 and 400 rows"):
            troupe.Problem.from_arrays(x, y[:-1])
        with self.assertRaisesRegex(ValueError, "different shapes"):
            troupe.Problem.from_arrays(x, y, test=(x[:, :1], y))
        with self.assertRaisesRegex(TypeError, "complex"):
            troupe.Problem.from_arrays(x.astype(complex), y)

    def test_minus_one_is_masked_and_does_not_count(self):
        x, y = examples()
        y[:5] = -1
        self.assertEqual(troupe.Problem.from_arrays(x, y, split="ordered").batch([0])["targets"].tolist(), [-1])


    def test_one_hot_integers_are_the_class_of_the_one(self):
        x, y = examples()
        problem = troupe.Problem.from_arrays(x, numpy.eye(3, dtype=int)[y], split="ordered")
        self.assertEqual(problem.batch(range(9))["targets"].tolist(), y[:9].tolist())
        self.assertEqual(problem.converted, ("targets",))

    def test_classes_that_look_like_a_mistake_are_refused_with_the_cure(self):
        x, y = examples()
        with self.assertRaisesRegex(troupe.DataError, "-1 and 1, of which -1 is masked"):
            troupe.Problem.from_arrays(x, numpy.where(y > 0, 1, -1))
        with self.assertRaisesRegex(troupe.DataError, "3 different classes, but the largest is 60000; number them from 0"):
            troupe.Problem.from_arrays(x, y * 30000)


class Inputs(InFolder):
    def test_an_array_of_another_name_is_a_model_s_input(self):
        x, y = examples()
        run = self.trained(troupe.Problem.from_arrays({"points": x}, {"direction": y}))
        self.assertEqual(run.predict({"points": x[:3]}).shape, (3, 3))
        self.assertEqual(run.predict(x[:3]).shape, (3, 3))


if __name__ == "__main__":
    unittest.main()
