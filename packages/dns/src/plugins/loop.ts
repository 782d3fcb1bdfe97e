import { sleep } from '@coxswain/apimachinery/clock';
import type { Plugin } from '../chain/index.ts';
import { classIn, Flag, joinNames, Type } from '../wire/index.ts';
import { udpExchange } from './forward/exchange.ts';
import { newId, newLabels } from './forward/unpredictable.ts';
import { noArguments, onlyOne, type Setup, type SetupContext } from './setup/index.ts';

const name = 'loop';
const lookForMs = 30_000;

/** The plug-in `loop`: asks itself for a random name at the start. If that question comes back, queries are forwarded in a circle, and the server stops. */
export const setupLoop: Setup = (directives, context) => {
  noArguments(onlyOne(directives));
  const zone = context.block.zones[0]?.zone ?? '.';
  const asked = joinNames(...newLabels(), zone);
  let seen = 0;
  let isLooking = true;
  let looking = Promise.resolve();
  const plugin: Plugin = {
    name,
    handler: (next) => (query) => {
      if (isLooking && query.question.type === Type.HINFO && query.name === asked) {
        seen++;
        if (seen > 2) {
          isLooking = false;
          context.fail(
            new Error(
              `Loop (${query.client.address}:${query.client.port} -> ${query.server}) detected for zone "${zone}"`,
            ),
          );
        }
      }
      return next(query);
    },
    start: (signal) => {
      looking = look(context, asked, signal).finally(() => {
        isLooking = false;
      });
    },
    stopped: () => looking,
  };
  return plugin;
};

/** Asks until there is an answer, and waits for what may come back. */
async function look({ block, clock, listening }: SetupContext, asked: string, signal: AbortSignal): Promise<void> {
  const port = block.zones[0]?.port ?? 53;
  const message = {
    id: newId(),
    flags: Flag.RD,
    questions: [{ name: asked, type: Type.HINFO, class: classIn }],
    answers: [],
    authorities: [],
    additionals: [],
  };
  const end = clock.monotonic() + lookForMs;
  while (!signal.aborted && clock.monotonic() < end) {
    const to = listening(port);
    try {
      if (to) {
        await udpExchange(to, message, 2000, clock);
        await sleep(clock, 2000, signal);
        return;
      }
    } catch {
      // Not there yet, or no answer.
    }
    await sleep(clock, 1000, signal).catch(() => {});
  }
}
