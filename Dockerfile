# The service in an image: `docker build -t mintwire .`, for both architectures
# `docker buildx build --platform linux/amd64,linux/arm64 -t <registry>/mintwire --push .`
#
# test/deploy/dockerfile.long.test.ts runs these steps in a fresh folder, so every path in a RUN is
# relative and the last stage only copies.

# A tag may move. To pin it, give the digest that `docker buildx imagetools inspect` prints:
# `--build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…`
ARG NODE_IMAGE=node:24-bookworm-slim

# The package of `npm run pack`, installed: nothing in it is native (the test checks it), so it is
# built once, without emulation.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY devnet/package.json devnet/
RUN npm ci --omit=dev --ignore-scripts
COPY . ./
RUN node release/build-package.ts packed
RUN npm install --global --prefix installed --ignore-scripts ./packed/mintwire-*.tgz
# Declarations and source maps are for people who write code; the folder for data is for a volume,
# which takes over its owner.
RUN find installed -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -delete \
 && mkdir data

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data PATH=/app/bin:$PATH
WORKDIR /app
COPY --from=build --chown=node:node /build/data /data
COPY --from=build /build/installed ./
USER node
VOLUME /data
EXPOSE 8080 9464
# Alive, not ready: a node that is still indexing must not be restarted.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/v1/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["mintwire"]
CMD ["serve"]
