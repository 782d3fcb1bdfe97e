import { durationToMs } from '@coxswain/apimachinery/time';
import { argumentError, type Directive, errorAt, zonesOf } from '../../corefile/index.ts';
import { isInZone } from '../../wire/index.ts';
import type { BlockInfo } from './setup-context.ts';

/** Reading the arguments of directives. All functions throw a CorefileError that names the line. */

/** Returns the only directive. Most plug-ins may occur once in a server block. */
export function onlyOne(directives: readonly Directive[]): Directive {
  const [first, second] = directives;
  if (!first) throw new Error('a plug-in is set up without a directive');
  if (second) throw errorAt(second, `this plugin can only be used once per Server Block`);
  return first;
}

export function noArguments(directive: Directive): void {
  if (directive.args.length > 0) throw argumentError(directive);
}

export function noBlock(directive: Directive): void {
  const [first] = directive.block ?? [];
  if (first) throw errorAt(first, `unknown property '${first.name}'`);
}

export function oneArgument(directive: Directive): string {
  const [value, ...more] = directive.args;
  if (value === undefined || more.length > 0) throw argumentError(directive);
  return value;
}

export function durationOf(directive: Directive, text: string | undefined): number {
  if (text === undefined) throw argumentError(directive);
  try {
    return durationToMs(text);
  } catch (error) {
    throw errorAt(directive, error instanceof Error ? error.message : String(error));
  }
}

export function integerOf(directive: Directive, text: string | undefined): number {
  if (text === undefined) throw argumentError(directive);
  if (!/^[+-]?\d{1,15}$/.test(text))
    throw errorAt(directive, `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

/** Returns the zones of arguments, or those of the server block when there are none. */
export function originsOf(directive: Directive, args: readonly string[], block: BlockInfo): string[] {
  return args.length > 0 ? args.flatMap((arg) => zonesOf(arg, directive)) : block.zones.map(({ zone }) => zone);
}

/** The zones for which a plug-in passes on what it has no answer for. */
export class Fallthrough {
  #zones: readonly string[] = [];

  read(directive: Directive): void {
    this.#zones = directive.args.length === 0 ? ['.'] : directive.args.flatMap((arg) => zonesOf(arg, directive));
  }

  get isSet(): boolean {
    return this.#zones.length > 0;
  }

  allows(name: string): boolean {
    return this.#zones.some((zone) => isInZone(name, zone));
  }
}
