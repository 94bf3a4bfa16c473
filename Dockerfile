# The image of the order and the inventory app; docker-compose.yml says which of them a container runs.
FROM node:20.20.2-bookworm-slim AS base
WORKDIR /app
COPY package.json package-lock.json ./

FROM base AS build
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json nest-cli.json ./
COPY apps apps
COPY libs libs
COPY load-tests load-tests
RUN npm run build

FROM base AS dependencies
RUN npm ci --omit=dev --no-audit --no-fund

FROM base
ENV NODE_ENV=production
# A named volume takes its owner from here.
RUN mkdir /history && chown node:node /history
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY infra/docker/replica.sh ./
USER node
EXPOSE 3000
CMD ["./replica.sh", "order"]
