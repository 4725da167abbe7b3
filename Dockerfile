# The service in one image: built with every dependency, run with those it needs, by a user who owns nothing but /data.
# docker build -t assay . && docker run -p 8080:8080 -v assay:/data --stop-timeout 70 assay
# Not Node 24: the shipped model runs there, but models with half-precision inputs do not.
FROM node:22-bookworm-slim AS base
WORKDIR /app
ENV ONNXRUNTIME_NODE_INSTALL=skip
COPY package.json package-lock.json .npmrc ./

FROM base AS build
RUN npm ci
COPY tsconfig.json tsconfig.build.json tsconfig.console.json ./
COPY src src
RUN npm run build

FROM base AS dependencies
# What only the service needs is optional in the package, and part of this image; so is the runtime, which `npm pack` copies into
# the package. The versions are those of the lock file.
RUN node -e "const m = require('./package.json'); for (const name in m.peerDependencies) m.dependencies[name] = m.devDependencies[name]; \
  m.dependencies['onnxruntime-node'] = m.devDependencies['onnxruntime-node']; \
  m.devDependencies = {}; m.peerDependencies = {}; m.peerDependenciesMeta = {}; require('fs').writeFileSync('package.json', JSON.stringify(m))"
# The runtime brings libraries for other systems along: two thirds of the image.
RUN npm install --omit=dev \
  && rm -rf node_modules/onnxruntime-node/bin/napi-v6/darwin node_modules/onnxruntime-node/bin/napi-v6/win32

FROM base
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY models models
COPY calibration-data calibration-data
COPY LICENSE README.md CHANGELOG.md recommended-models.json ./
RUN mkdir /data && chown node:node /data

ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATABASE_URL=/data/assay.db
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8080
# /health says 503 while the database cannot be read and written, and while the service ends.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "const { ASSAY_TLS_CERT, ASSAY_PORT, PORT } = process.env; require(ASSAY_TLS_CERT ? 'https' : 'http').get({ host: '127.0.0.1', port: ASSAY_PORT || PORT, path: '/health', rejectUnauthorized: false }, (reply) => process.exit(reply.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# The service listens to SIGTERM itself, and answers what it admitted before it ends.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/dist/cli/main.js"]
CMD ["serve"]
