import type { DeviceAttribute, DeviceCapacity } from '@coxswain/api/resource/v1';
import type { CelEnvironment } from '../environment/environment.ts';
import type { Program } from '../plan/program.ts';
import { CelCompileError } from '../syntax/source.ts';
import { runtimeType } from '../values/runtime-type.ts';
import { BOOL, sameType } from '../values/types.ts';
import { ATTRIBUTE, deviceValue } from './device-value.ts';

/** What expressions can ask of a device. */
export interface SelectableDevice {
  /** The domain of attributes and capacities that name none. */
  readonly driver: string;
  readonly allowMultipleAllocations?: boolean | undefined;
  readonly attributes?: Readonly<Record<string, DeviceAttribute>> | undefined;
  readonly capacity?: Readonly<Record<string, DeviceCapacity>> | undefined;
}

/** What one evaluation may cost. */
const costLimit = 1_000_000;

/** An expression about `device`, which says whether it is one of those that are wanted. */
export class DeviceSelector {
  readonly #program: Program;

  /** Throws an Error in upstream's words for an expression that cannot be compiled or has no truth value. */
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

  /** Throws an Error when the expression fails for this device. */
  matches(device: SelectableDevice): boolean {
    const { value, error } = this.#program.evaluate(new Map([['device', deviceValue(device)]]), { costLimit });
    if (error) throw new Error(error.message);
    if (typeof value === 'boolean') return value;
    const { name } = runtimeType(value);
    throw new Error(`CEL result of type ${name} could not be converted to bool: ${whyNotBool(name)}`);
  }
}

/** Each type has words of its own. */
function whyNotBool(type: string): string {
  if (type === 'string') return "unsupported native conversion from string to 'bool'";
  if (type === 'int') return "unsupported type conversion from 'int' to bool";
  return `type conversion error from '${type.slice(type.lastIndexOf('.') + 1)}' to 'bool'`;
}
