import { readFileSync } from 'node:fs';
import type { PodTemplateSpec } from '@coxswain/api/core/v1';
import { readJson } from '@coxswain/apimachinery/codec/json';

/** The hash label that upstream uses for a template. */
export interface RecordedHash {
  /** From the server, with defaults. */
  readonly template: PodTemplateSpec;
  readonly collisionCount?: number;
  readonly hash: string;
}

/**
 * - `templates`: recorded by `record.ts`.
 * - `every-field`: one template with all fields of all of its types, which no server would accept. A Go program filled it by
 * reflection, passed it through protobuf, and called `ComputeHash` of k8s.io/kubernetes/pkg/controller.
 */
type Recording = 'templates' | 'every-field';

export const recordedFile = (recording: Recording): URL => new URL(`recorded/${recording}.json`, import.meta.url);

/** Returns the recorded hashes by the titles of their templates. */
export const readRecordedHashes = (recording: Recording): Readonly<Record<string, RecordedHash>> =>
  readJson(readFileSync(recordedFile(recording), 'utf8')) as Readonly<Record<string, RecordedHash>>;
