# A container that serves a model:
#   docker build -t textsieve .
#   docker run --rm --read-only --tmpfs /tmp -v "$PWD/models:/models:ro" -p 127.0.0.1:8000:8000 textsieve
FROM python:3.11-slim AS build
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
COPY man man
RUN python -m venv /opt/textsieve \
    && /opt/textsieve/bin/pip install --no-cache-dir --disable-pip-version-check -c constraints.txt '.[serve]'
# Kernels are compiled now, because the container can't write. They are for any processor of this kind (generic), not
# only for the one that builds the image.
ENV NUMBA_CACHE_DIR=/opt/textsieve/kernels NUMBA_CPU_NAME=generic
RUN /opt/textsieve/bin/textsieve warmup

FROM python:3.11-slim
RUN useradd --no-create-home --uid 10001 textsieve
COPY --from=build /opt/textsieve /opt/textsieve
ENV PATH=/opt/textsieve/bin:$PATH NUMBA_CACHE_DIR=/opt/textsieve/kernels NUMBA_CPU_NAME=generic \
    PYTHONDONTWRITEBYTECODE=1
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
ENTRYPOINT ["textsieve", "serve", "--host", "0.0.0.0", "--port", "8000"]
CMD ["/models/model.sieve", "--reload"]
