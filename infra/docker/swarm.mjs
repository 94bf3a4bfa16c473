/**
 * Converts docker-compose.yml to the format that `docker stack deploy` accepts:
 *
 *   IMAGE=<image in a registry that all machines can reach> node infra/docker/swarm.mjs | docker stack deploy -c - lab
 *
 * Removes what a Swarm rejects: the project's name, start conditions (tasks restart until their servers answer), and the
 * build of the image. A Swarm publishes ports on every interface, so the lab is disabled unless LAB_ENABLED is set to true.
 * Services with a profile are included when COMPOSE_PROFILES names it. The files of infra/ must be at the same path on every
 * machine.
 */
import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';

const text = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
const { services, volumes } = parse(text.replaceAll('${LAB_ENABLED:-true}', '${LAB_ENABLED:-false}'), {
  merge: true,
  maxAliasCount: -1, // no limit: the file is trusted
});
const chosen = (process.env.COMPOSE_PROFILES ?? '').split(',');
for (const [name, { profiles }] of Object.entries(services))
  if (profiles !== undefined && !profiles.some((profile) => chosen.includes(profile))) delete services[name];
const refused = ['depends_on', 'build', 'pull_policy', 'restart', 'profiles'];
for (const service of Object.values(services)) for (const key of refused) delete service[key];

process.stdout.write(stringify({ services, volumes }, { aliasDuplicateObjects: false, version: '1.1' }));
