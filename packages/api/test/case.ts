import type { Status } from '@coxswain/apimachinery';

/**
 * Requests with the recorded responses of a real kube-apiserver v1.36.4 (`test/record.ts`), to compare ours with. A
 * file `cases/x.cases.ts` exports `suite`; its recording is `recorded/x.json`.
 */
export interface CaseSuite {
  /** Feature gates of the recorded server that differ from the defaults. */
  readonly features?: Readonly<Record<string, boolean>>;
  /** Objects that cases are based on, complete with apiVersion and kind. */
  readonly bases: Readonly<Record<string, Base>>;
  /** A sentence with the expected behaviour → the request. */
  readonly cases: Readonly<Record<string, Case>>;
}

export type JsonObject = Record<string, unknown>;

export interface Base {
  readonly object: JsonObject;
  /** Written through the status subresource after creation, for updates and tables. */
  readonly status?: JsonObject;
  /** Reports whether the server's controllers have finished with the object; recording waits for it. */
  readonly until?: (object: JsonObject) => boolean;
}

/** `change` edits a copy of the base (create) or of the stored object (update), in place. */
export type Case =
  | { readonly create: string; readonly change?: Change }
  | { readonly update: string; readonly subresource?: string; readonly change: Change }
  /** The Table cells of the stored base. Cells that depend on the time are not compared. */
  | { readonly table: string };

// biome-ignore lint/suspicious/noExplicitAny: a case edits an object of any kind, and often breaks its type on purpose
export type Change = (object: any) => void;

/** Replaces every random identifier in recordings. */
export const fixedUid = '00000000-0000-4000-8000-000000000001';

export interface Recording {
  /** Bases as the server stored them, for the cases that need them. */
  readonly stored: Readonly<Record<string, JsonObject>>;
  readonly answers: Readonly<Record<string, Answer>>;
}

export type Answer =
  | { readonly object: JsonObject; readonly warnings?: readonly string[] }
  | { readonly status: Pick<Status, 'message' | 'reason' | 'code' | 'details'>; readonly warnings?: readonly string[] }
  | { readonly columns: readonly JsonObject[]; readonly cells: readonly unknown[] };
