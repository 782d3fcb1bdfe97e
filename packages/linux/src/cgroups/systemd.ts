import { onAbort } from '@coxswain/apimachinery/abort';
import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { DBusConnection, DBusError, type DBusMessage, type DBusValue } from '../dbus/index.ts';
import type { UnitProperty } from './slice-properties.ts';
import type { SliceUnits } from './systemd-cgroup-manager.ts';

export interface SystemdOptions {
  readonly clock?: Clock;
  /** The bus, and systemd's own socket, which root may use if there is no bus. The first one that answers is used. */
  readonly sockets?: readonly SystemdSocket[];
}

export interface SystemdSocket {
  readonly path: string;
  /** A bus passes messages on to systemd, and wants to be greeted and told which signals to pass. */
  readonly isBus: boolean;
}

const defaultSockets: readonly SystemdSocket[] = [
  { path: '/run/dbus/system_bus_socket', isBus: true },
  { path: '/run/systemd/private', isBus: false },
];

const destination = 'org.freedesktop.systemd1';
const path = '/org/freedesktop/systemd1';
const manager = 'org.freedesktop.systemd1.Manager';
const bus = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
} as const;

const jobTimeoutMs = 30_000;

/** Jobs that ended before the reply that names them. */
const maxEndedJobs = 64;

/** systemd, over D-Bus. Connects when it is first needed, and again after the connection was lost. */
export class Systemd implements SliceUnits {
  readonly #clock: Clock;
  readonly #sockets: readonly SystemdSocket[];
  #connecting: Promise<DBusConnection> | undefined;
  #version: Promise<number> | undefined;
  readonly #endedJobs = new Map<string, string>();
  readonly #waiting = new Map<string, (result: string) => void>();

  constructor({ clock = systemClock, sockets = defaultSockets }: SystemdOptions = {}) {
    this.#clock = clock;
    this.#sockets = sockets;
  }

  version(): Promise<number> {
    this.#version ??= this.#readVersion().catch((error: unknown) => {
      this.#version = undefined;
      throw error;
    });
    return this.#version;
  }

  async startSlice(unit: string, properties: readonly UnitProperty[], signal?: AbortSignal): Promise<void> {
    try {
      const body = [unit, 'replace', properties, []];
      const [job] = await this.#call('StartTransientUnit', 'ssa(sv)a(sa(sv))', body);
      const result = await this.#jobResult(String(job), `create ${unit}`, signal);
      if (result === 'done') return;
      await this.#resetFailed(unit);
      throw new Error(`error creating systemd unit \`${unit}\`: got \`${result}\``);
    } catch (error) {
      if (!isError(error, 'UnitExists')) throw error;
    }
  }

  async setProperties(unit: string, properties: readonly UnitProperty[]): Promise<void> {
    await this.#call('SetUnitProperties', 'sba(sv)', [unit, true, properties]);
  }

  async stopUnit(unit: string, signal?: AbortSignal): Promise<void> {
    try {
      const [job] = await this.#call('StopUnit', 'ss', [unit, 'replace']);
      await this.#jobResult(String(job), `remove ${unit}`, signal);
    } catch (error) {
      if (!isError(error, 'NoSuchUnit')) throw error;
    }
    await this.#resetFailed(unit);
  }

  /** Ends the connection. A later call connects again. */
  async close(): Promise<void> {
    const connection = await this.#connecting?.catch(() => undefined);
    this.#connecting = undefined;
    connection?.close();
  }

  async #readVersion(): Promise<number> {
    const call = { destination, path, interface: 'org.freedesktop.DBus.Properties', member: 'Get' };
    const [value] = await (await this.#connection()).call({ ...call, signature: 'ss', body: [manager, 'Version'] });
    const text = typeof value === 'object' && 'value' in value ? String(value.value) : '';
    const version = /^v?(\d+)/.exec(text)?.[1];
    if (version === undefined) throw new Error(`cannot parse systemd's version "${text}"`);
    return Number(version);
  }

  /** A unit that has failed stays until it is reset; others are no error. */
  async #resetFailed(unit: string): Promise<void> {
    await this.#call('ResetFailedUnit', 's', [unit]).catch((error: unknown) => {
      if (!(error instanceof DBusError)) throw error;
    });
  }

  async #call(member: string, signature: string, body: readonly DBusValue[]): Promise<readonly DBusValue[]> {
    const call = { destination, path, interface: manager, member, signature, body };
    const connection = await this.#connection();
    try {
      return await connection.call(call);
    } catch (error) {
      // systemd was executed anew, or the bus was. All calls may be repeated.
      if (error instanceof DBusError || !connection.hasEnded) throw error;
      return await (await this.#connection()).call(call);
    }
  }

  async #connection(): Promise<DBusConnection> {
    const known = await this.#connecting?.catch(() => undefined);
    if (known && !known.hasEnded) return known;
    this.#connecting = this.#connect();
    return await this.#connecting;
  }

  async #connect(): Promise<DBusConnection> {
    const errors: unknown[] = [];
    for (const { path: socket, isBus } of this.#sockets) {
      try {
        const connection = await DBusConnection.open(socket, (signal) => this.#onSignal(signal));
        if (isBus) {
          const match = `type='signal',interface='${manager}',member='JobRemoved',path='${path}'`;
          await connection.call({ ...bus, member: 'Hello' });
          await connection.call({ ...bus, member: 'AddMatch', signature: 's', body: [match] });
        }
        await connection.call({ destination, path, interface: manager, member: 'Subscribe' });
        return connection;
      } catch (error) {
        errors.push(error);
      }
    }
    throw new Error(`failed to connect to systemd: ${errors.map(String).join('; ')}`, { cause: errors[0] });
  }

  #onSignal({ member, body = [] }: DBusMessage): void {
    if (member !== 'JobRemoved') return;
    const [, job, , result] = body.map(String);
    if (job === undefined || result === undefined) return;
    const waiting = this.#waiting.get(job);
    if (waiting) waiting(result);
    else this.#endedJobs.set(job, result);
    const [oldest] = this.#endedJobs.keys();
    if (this.#endedJobs.size > maxEndedJobs && oldest !== undefined) this.#endedJobs.delete(oldest);
  }

  #jobResult(job: string, purpose: string, signal: AbortSignal | undefined): Promise<string> {
    return new Promise((resolve, reject) => {
      const known = this.#endedJobs.get(job);
      this.#endedJobs.delete(job);
      if (known !== undefined) return resolve(known);
      if (signal?.aborted) return reject(signal.reason);
      const end = (): void => {
        this.#waiting.delete(job);
        timer.cancel();
        unlink();
      };
      const timer = this.#clock.setTimeout(() => {
        end();
        reject(new Error(`Timeout waiting for systemd to ${purpose}`));
      }, jobTimeoutMs);
      const unlink = onAbort(signal, () => {
        end();
        reject(signal?.reason);
      });
      this.#waiting.set(job, (result) => {
        end();
        resolve(result);
      });
    });
  }
}

const isError = (error: unknown, name: string): boolean =>
  error instanceof DBusError && error.errorName === `org.freedesktop.systemd1.${name}`;
