import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { encodeProtobufMessage } from '@coxswain/apimachinery';
import { type CallFrame, functionNameOf } from './call-frame.ts';
import { profileSchema } from './pprof-schema.ts';

interface ValueType {
  /** `cpu` */
  readonly type: string;
  /** `nanoseconds` */
  readonly unit: string;
}

export interface PprofProfileOptions {
  /** The values of each sample. */
  readonly values: readonly ValueType[];
  /** The sampling interval. */
  readonly period: ValueType & { readonly every: number };
  /** The name of the program in `go tool pprof`. */
  readonly program: string;
  readonly timeMs: number;
  readonly durationMs?: number;
}

/** Strings are indices into the string table. */
interface FunctionMessage {
  readonly id: number;
  readonly name: number;
  readonly system_name: number;
  readonly filename: number;
  readonly start_line: number;
}

const compress = promisify(gzip);
const nanosPerMs = 1_000_000;

/** Builds a profile in the format of `go tool pprof`. */
export class PprofProfile {
  readonly #options: PprofProfileOptions;
  /** The string table: text → index. The empty string has index 0. */
  readonly #strings = new Map([['', 0]]);
  /** Keyed by name and location. IDs begin with 1. */
  readonly #functions = new Map<string, FunctionMessage>();
  readonly #samples: object[] = [];

  constructor(options: PprofProfileOptions) {
    this.#options = options;
  }

  /** Returns the ID of a function, for the stacks of samples. */
  function(frame: CallFrame): number {
    const { url, lineNumber, columnNumber } = frame;
    const name = functionNameOf(frame);
    const key = `${name}\n${url}\n${lineNumber}:${columnNumber}`;
    const known = this.#functions.get(key);
    if (known) return known.id;
    const id = this.#functions.size + 1;
    const nameIndex = this.#string(name);
    this.#functions.set(key, {
      id,
      name: nameIndex,
      system_name: nameIndex,
      filename: this.#string(url),
      start_line: lineNumber + 1,
    });
    return id;
  }

  /** Adds a sample. `stack` contains function IDs, the innermost call first. */
  add(stack: readonly number[], values: readonly number[]): void {
    this.#samples.push({ location_id: stack, value: values });
  }

  /** Returns the profile gzipped, ready for download. */
  encode(): Promise<Uint8Array> {
    return compress(encodeProtobufMessage(profileSchema, this.#message()));
  }

  #message(): Record<string, unknown> {
    const { values, period, program, timeMs, durationMs = 0 } = this.#options;
    const typeOf = ({ type, unit }: ValueType) => ({ type: this.#string(type), unit: this.#string(unit) });
    const message = {
      sample_type: values.map(typeOf),
      sample: this.#samples,
      mapping: [
        {
          id: 1,
          filename: this.#string(program),
          has_functions: true,
          has_filenames: true,
          has_line_numbers: true,
        },
      ],
      // One location per function: V8 tells only where a function begins.
      location: [...this.#functions.values()].map(({ id, start_line }) => ({
        id,
        mapping_id: 1,
        line: [{ function_id: id, line: start_line }],
      })),
      function: [...this.#functions.values()],
      time_nanos: BigInt(Math.round(timeMs)) * BigInt(nanosPerMs),
      duration_nanos: Math.round(durationMs * nanosPerMs),
      period_type: typeOf(period),
      period: period.every,
    };
    return { ...message, string_table: [...this.#strings.keys()] };
  }

  #string(text: string): number {
    const known = this.#strings.get(text);
    if (known !== undefined) return known;
    this.#strings.set(text, this.#strings.size);
    return this.#strings.size - 1;
  }
}
