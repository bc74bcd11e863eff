#!/usr/bin/env python3
"""The official Protocol Buffers library reads the event files of a run: all checksums of the records hold, and their
values equal those of the CSV files and the log.

usage: tensorboard.py TROUPE
"""
import csv
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

try:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
except ImportError as error:
    print(f"skipped: {error}; needs python3-protobuf")
    sys.exit(77)

FIELD = descriptor_pb2.FieldDescriptorProto
INTERVAL = 5
RUN = ["problem.train=600", "problem.validation=100", "problem.test=0", "model.hidden=[16]", "training.seed=5",
       "training.epochs=2", f"run.log_interval={INTERVAL}", "extensions.statistics.weighted=true",
       "extensions.tensorboard.level=2", "extensions.tensorboard.bins=7"]


def event_type():
    """The message Event, as far as Troupe writes it, of tensorflow/core/util/event.proto and summary.proto."""
    file = descriptor_pb2.FileDescriptorProto(name="event.proto", package="tensorflow", syntax="proto3")

    def message(name, *fields):
        added = file.message_type.add(name=name)
        for number, field, kind, *rest in fields:
            entry = added.field.add(name=field, number=number, type=kind, label=FIELD.LABEL_OPTIONAL)
            for detail in rest:
                if detail == "repeated":
                    entry.label = FIELD.LABEL_REPEATED
                else:
                    entry.type_name = ".tensorflow." + detail

    double = FIELD.TYPE_DOUBLE
    message("HistogramProto", (1, "min", double), (2, "max", double), (3, "num", double), (4, "sum", double),
            (5, "sum_squares", double), (6, "bucket_limit", double, "repeated"), (7, "bucket", double, "repeated"))
    message("Value", (1, "tag", FIELD.TYPE_STRING), (2, "simple_value", FIELD.TYPE_FLOAT),
            (5, "histo", FIELD.TYPE_MESSAGE, "HistogramProto"))
    message("Summary", (1, "value", FIELD.TYPE_MESSAGE, "Value", "repeated"))
    message("SessionLog", (1, "status", FIELD.TYPE_INT32))
    message("Event", (1, "wall_time", double), (2, "step", FIELD.TYPE_INT64), (3, "file_version", FIELD.TYPE_STRING),
            (5, "summary", FIELD.TYPE_MESSAGE, "Summary"), (7, "session_log", FIELD.TYPE_MESSAGE, "SessionLog"))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("tensorflow.Event"))


EVENT = event_type()


def masked_crc(data):
    """CRC-32C bit by bit, masked as in TFRecord."""
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    crc ^= 0xffffffff
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff


def check(condition, sentence):
    if not condition:
        raise SystemExit(f"wrong: {sentence}")


def events_in(path):
    data, at = path.read_bytes(), 0
    while at < len(data):
        length, crc = struct.unpack_from("<QI", data, at)
        check(crc == masked_crc(data[at:at + 8]), f"the length's checksum at {at} of {path}")
        body = data[at + 12:at + 12 + length]
        check(struct.unpack_from("<I", data, at + 12 + length)[0] == masked_crc(body), f"the checksum at {at} of {path}")
        event = EVENT.FromString(body)
        check(event.SerializeToString() and not event.UnknownFields(), f"the event at {at} of {path}")
        yield event
        at += 16 + length


def summaries(folder, run):
    """{(tag, step): value} of a run, and the steps of its SessionLogs."""
    values, restarts = {}, []
    for path in sorted((folder / "tensorboard" / run).iterdir()):
        events = list(events_in(path))
        check(events[0].file_version == "brain.Event:2", f"the version of {path}")
        for event in events[1:]:
            if event.session_log.status == 1:
                restarts.append(event.step)
            for value in event.summary.value:
                values[value.tag, event.step] = value
    return values, restarts


def close(a, b):
    return abs(a - b) <= 1e-6 * max(1, abs(b)) + 1e-10


def rows_of(folder, name):
    with open(folder / name, newline="", encoding="utf-8") as file:
        # By batch, as in the events; episodes count from 0.
        return {int(row["episode"]) + 1: row for row in csv.DictReader(file)}


COLUMNS = {"accuracy": "acc"}  # of tags with other names there


def compare(folder):
    training, _ = summaries(folder, "training")
    batches = rows_of(folder, "training_statistics.csv")
    check(len(batches) == 20, f"{len(batches)} rows of batches")
    losses = {step: value.simple_value for (tag, step), value in training.items() if tag == "loss"}
    check(sorted(losses) == [b for b in batches if b % INTERVAL == 0], f"losses at {sorted(losses)}")
    for step, loss in losses.items():
        check(close(loss, float(batches[step]["loss"])), f"the loss of batch {step}: {loss}")
    for tag, elements in {"linear0.weight": 28 * 28 * 16, "gradient/linear1.bias": 10}.items():
        histogram = training[tag, INTERVAL].histo
        check(len(histogram.bucket) == 7 == len(histogram.bucket_limit), f"the bins of {tag}")
        check(sum(histogram.bucket) == histogram.num == elements, f"{histogram.num} elements of {tag}")
        check(histogram.bucket_limit[-1] == histogram.max >= histogram.min, f"the ends of {tag}")
    for run, name, tags in (("training_set_agg", "training_set_agg_statistics.csv", ["loss"]),
                            ("validation_set_agg", "validation_set_agg_statistics.csv", ["loss", "accuracy"])):
        values, _ = summaries(folder, run)
        rows = rows_of(folder, name)
        for tag in tags:
            steps = sorted(step for known, step in values if known == tag)
            check(steps == sorted(rows), f"{tag} of {run} at {steps}")
            for step in steps:
                check(close(values[tag, step].simple_value, float(rows[step][COLUMNS.get(tag, tag)])), f"{tag} of {run} at {step}")
    return len(training)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as work:
        def train(*arguments):
            done = subprocess.run([program, "train", "-q", "--json", *arguments], cwd=work, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"troupe train {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}")
            return pathlib.Path(work) / json.loads(done.stdout)["run"]

        print(compare(train(*RUN)), "training values equal those of the files")
        half = train(*RUN, "extensions.finish_after.after_n_batches=12")
        train("--resume", str(half))
        compare(half)
        _, restarts = summaries(half, "training")
        check(restarts == [13], f"restarts at {restarts}")
        print("those of a resumed run too")


main()
