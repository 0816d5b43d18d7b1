"""The service that many would write: FastAPI, scikit-learn's tf-idf and logistic regression.

``python -m benchmarks._sklearn_service DATA.json PORT``; the data has the texts and their labels.
"""

import json
import sys
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline


class Body(BaseModel):
    text: str


def make_app(path: str) -> FastAPI:
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000))
    pipeline.fit(data["texts"], data["labels"])
    app = FastAPI()

    @app.post("/predict")
    def predict(body: Body) -> dict[str, Any]:
        (probability,) = pipeline.predict_proba([body.text])
        best = probability.argmax()
        return {"label": str(pipeline.classes_[best]), "probability": float(probability[best])}

    return app


if __name__ == "__main__":
    # Without its log of requests, which would make it slower.
    uvicorn.run(make_app(sys.argv[1]), port=int(sys.argv[2]), access_log=False)
