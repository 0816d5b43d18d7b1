"""Readings: what a model remembers about its files, and when it is used."""

import pytest

from leaven.documents._reading import Reading
from leaven.exceptions import DataError


@pytest.fixture
def odd_file(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("Anfrage,Bereich\nwhere is my parcel,shipping\nmy card was charged,billing\n")
    return path


def test_columns_of_a_model_are_used_where_a_file_has_them(odd_file):
    trained = Reading(text="Anfrage", label="Bereich")
    files = Reading().after(trained).files(odd_file, needs_labels=True)
    assert (files.text_column, files.label_column) == ("Anfrage", "Bereich")
    assert files.read().labels.to_pylist() == ["shipping", "billing"]


def test_columns_that_a_user_names_come_first(odd_file):
    trained = Reading(text="Anfrage", label="Bereich")
    files = Reading(text="Bereich").after(trained).files(odd_file)
    assert files.text_column == "Bereich"
    assert files.label_column is None


def test_other_columns_are_detected_from_their_names(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("id,text,label\n1,hello,a\n")
    files = Reading().after(Reading(text="Anfrage", label="Bereich")).files(path)
    assert (files.text_column, files.label_column) == ("text", "label")


def test_columns_that_are_neither_remembered_nor_named_as_usual_are_asked_for(odd_file):
    with pytest.raises(DataError, match="no column that is clearly the text"):
        Reading().after(Reading(text="Ticket")).files(odd_file)


def test_a_model_file_remembers_columns():
    reading = Reading(text="a", label="b", vectors="c", encoding="cp1252")
    assert Reading.from_json(reading.to_json()) == Reading(text="a", label="b", vectors="c")
    with pytest.raises(TypeError, match="text column"):
        Reading.from_json({"text": 3})
