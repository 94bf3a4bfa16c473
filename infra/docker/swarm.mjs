/**
 * Prints docker-compose.yml as `docker stack deploy` accepts it:
 *
 *   IMAGE=<where all machines find the image> node infra/docker/swarm.mjs | docker stack deploy -c - lab
 *
 * Left out is what a Swarm refuses: the project's name, conditions of a start (tasks try again until their servers
 * answer), and how the image is built. A Swarm publishes ports on every interface, so the lab is disabled unless
 * LAB_ENABLED says otherwise; services with a profile are there when COMPOSE_PROFILES names it. The files of infra/ must lie at the same path on every machine.
 */
import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';

const text = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
const { services, volumes } = parse(text.replaceAll('${LAB_ENABLED:-true}', '${LAB_ENABLED:-false}'), {
  merge: true,
  maxAliasCount: -1, // the file is our own
});
const chosen = (process.env.COMPOSE_PROFILES ?? '').split(',');
for (const [name, { profiles }] of Object.entries(services))
  if (profiles !== undefined && !profiles.some((profile) => chosen.includes(profile))) delete services[name];
const refused = ['depends_on', 'build', 'pull_policy', 'restart', 'profiles'];
for (const service of Object.values(services)) for (const key of refused) delete service[key];

process.stdout.write(stringify({ services, volumes }, { aliasDuplicateObjects: false, version: '1.1' }));
