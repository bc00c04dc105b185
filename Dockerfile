# The service in an image: `docker build -t mintwire .`, for both architectures
# `docker buildx build --platform linux/amd64,linux/arm64 -t <registry>/mintwire --push .`
#
# test/deploy/dockerfile.long.test.ts runs these steps in a fresh folder, so every path in a RUN is
# relative and the last stage only copies.

# A tag may move. To pin it, give the digest that `docker buildx imagetools inspect` prints:
# `--build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…`
ARG NODE_IMAGE=node:24-bookworm-slim

# Nothing that stays is native (the test checks it), so it is built once, without emulation.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY devnet/package.json devnet/
RUN npm ci --omit=dev --ignore-scripts
COPY src src
COPY console console
COPY sdk sdk
COPY docs docs
RUN node console/build.ts
# Remove what is not needed from here on: the service's own Node (the base image has one), esbuild
# and the sources of the console and its SDK, TypeScript (which viem asks for, for its types), declarations and
# source maps.
RUN rm -rf devnet tsconfig.json sdk console/src console/*.ts \
      node_modules/node-* node_modules/.bin node_modules/esbuild node_modules/@esbuild \
      node_modules/preact node_modules/@preact node_modules/lightweight-charts \
      node_modules/typescript node_modules/@typescript \
 && find src -name '*.test.ts' -delete \
 && find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -delete
# The command `mintwire`, and the folder for data: a new volume takes over its owner.
RUN mkdir bin data && ln -s ../src/cli/main.ts bin/mintwire

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data PATH=/app/bin:$PATH
WORKDIR /app
COPY --from=build --chown=node:node /app/data /data
COPY --from=build /app ./
USER node
VOLUME /data
EXPOSE 8080 9464
# Alive, not ready: a node that is still indexing must not be restarted.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/v1/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["mintwire"]
CMD ["serve"]
