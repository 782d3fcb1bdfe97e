import type { FileSystem } from '../files/file-system.ts';
import type { VolumeHost } from '../files/volume-host.ts';

/** Calls of the machine until the process would have been killed: all after the given number reject. */
export class Crash {
  #left: number;

  constructor(afterCalls: number) {
    this.#left = afterCalls;
  }

  /** False if all calls were made. */
  get hasHappened(): boolean {
    return this.#left < 0;
  }

  files(files: FileSystem): FileSystem {
    return this.#counted(files);
  }

  host(host: VolumeHost): VolumeHost {
    return { ...this.#counted(host), mounter: this.#counted(host.mounter), subPaths: this.#counted(host.subPaths) };
  }

  /** The same functions, which count. */
  #counted<T extends object>(object: T): T {
    return new Proxy(object, {
      // Spreading the proxy must find the counting functions, too.
      getOwnPropertyDescriptor: (target, key) => {
        const descriptor = Reflect.getOwnPropertyDescriptor(target, key);
        return descriptor && { ...descriptor, configurable: true };
      },
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          if (--this.#left < 0) throw new Error('crash');
          return await Reflect.apply(value, target, args);
        };
      },
    });
  }
}
