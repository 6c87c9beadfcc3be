# docker build -t strandline . && docker run --rm -v "$PWD:/models" strandline check model.dve
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN python -m pip install --no-cache-dir --no-compile /wheels/*.whl \
    && rm -r /wheels \
    && useradd --create-home --uid 1000 strandline
USER 1000
WORKDIR /models
# The machine code of the engine is compiled once, when the image is built.
COPY --chown=strandline examples/peterson/peterson.dve /tmp/peterson.dve
RUN strandline check --quiet /tmp/peterson.dve
ENTRYPOINT ["strandline"]
CMD ["--help"]
