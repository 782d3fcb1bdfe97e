import type { DeviceAttribute, DeviceCapacity } from '@coxswain/api/resource/v1';
import type { CelEnvironment } from '../environment/environment.ts';
import type { Program } from '../plan/program.ts';
import { CelCompileError } from '../syntax/source.ts';
import { runtimeType } from '../values/runtime-type.ts';
import { BOOL, sameType } from '../values/types.ts';
import { ATTRIBUTE, deviceValue } from './device-value.ts';

/** The parts of a device that expressions can use. */
export interface SelectableDevice {
  /** The default domain of attributes and capacities. */
  readonly driver: string;
  readonly allowMultipleAllocations?: boolean | undefined;
  readonly attributes?: Readonly<Record<string, DeviceAttribute>> | undefined;
  readonly capacity?: Readonly<Record<string, DeviceCapacity>> | undefined;
}

/** The cost limit of one evaluation. */
const costLimit = 1_000_000;

/** A compiled boolean expression about `device`. */
export class DeviceSelector {
  readonly #program: Program;

  /** Throws an Error with upstream's message for an expression that does not compile or is not boolean. */
  constructor(expression: string, environment: CelEnvironment) {
    try {
      const compiled = environment.compile(expression);
      if (!sameType(compiled.type, BOOL) && !sameType(compiled.type, ATTRIBUTE)) {
        throw new Error(`must evaluate to bool or the unknown type, not ${compiled.type}`);
      }
      this.#program = compiled.program();
    } catch (error) {
      if (error instanceof CelCompileError) throw new Error(`compilation failed: ${error.message}`, { cause: error });
      throw error;
    }
  }

  /** Reports whether the device matches. Throws an Error when the expression fails for this device. */
  matches(device: SelectableDevice): boolean {
    const { value, error } = this.#program.evaluate(new Map([['device', deviceValue(device)]]), { costLimit });
    if (error) throw new Error(error.message);
    if (typeof value === 'boolean') return value;
    const { name } = runtimeType(value);
    throw new Error(`CEL result of type ${name} could not be converted to bool: ${whyNotBool(name)}`);
  }
}

/** Returns upstream's message for a type that is not boolean. */
function whyNotBool(type: string): string {
  if (type === 'string') return "unsupported native conversion from string to 'bool'";
  if (type === 'int') return "unsupported type conversion from 'int' to bool";
  return `type conversion error from '${type.slice(type.lastIndexOf('.') + 1)}' to 'bool'`;
}
