import type { Handler, Query } from '../chain/index.ts';
import type { ZoneMetrics } from '../metrics/index.ts';
import { Type } from '../wire/index.ts';

/** A zone at a listener: the plug-ins of its server block. */
export interface ServedZone {
  readonly zone: string;
  readonly handler: Handler;
  /** Absent without the plug-in `prometheus`. */
  readonly metrics: ZoneMetrics | undefined;
}

/** The zones of one listener. */
export class ZoneTable {
  readonly #zones: ReadonlyMap<string, ServedZone>;
  /** Whether questions of other classes than IN are answered: only other servers know them. */
  readonly allowsClasses: boolean;
  /** Measures queries that no zone answers. */
  readonly dropped: ZoneMetrics | undefined;

  constructor(
    zones: Iterable<ServedZone>,
    { allowsClasses, dropped }: { readonly allowsClasses: boolean; readonly dropped: ZoneMetrics | undefined },
  ) {
    this.#zones = new Map(Array.from(zones, (zone) => [zone.zone, zone]));
    this.allowsClasses = allowsClasses;
    this.dropped = dropped;
  }

  /** Returns the most specific zone that contains the name. DS records of a zone are in its parent. */
  find({ name, question }: Pick<Query, 'name' | 'question'>): ServedZone | undefined {
    let ofDs: ServedZone | undefined;
    for (let rest: string | undefined = name; rest !== undefined; rest = parentOf(rest)) {
      const found = this.#zones.get(rest);
      if (found && question.type !== Type.DS) return found;
      ofDs = found ?? ofDs;
    }
    return ofDs;
  }
}

/** Returns the name without its first label. */
function parentOf(name: string): string | undefined {
  if (name === '.') return undefined;
  let dot = name.indexOf('.');
  while (dot > 0 && isEscaped(name, dot)) dot = name.indexOf('.', dot + 1);
  return dot === name.length - 1 ? '.' : name.slice(dot + 1);
}

function isEscaped(name: string, at: number): boolean {
  let backslashes = 0;
  while (name[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}
