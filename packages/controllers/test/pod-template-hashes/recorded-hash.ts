import { readFileSync } from 'node:fs';
import type { PodTemplateSpec } from '@coxswain/api/core/v1';
import { readJson } from '@coxswain/apimachinery/codec/json';

/** How upstream labels what it makes of a template. */
export interface RecordedHash {
  /** As the server has it, with its defaults. */
  readonly template: PodTemplateSpec;
  readonly collisionCount?: number;
  readonly hash: string;
}

/**
 * - `templates`: what `record.ts` saw
 * - `every-field`: one template with all fields of all of its types, which no server would take. A Go program filled it by
 *   reflection, passed it through protobuf, and gave it to `ComputeHash` of k8s.io/kubernetes/pkg/controller.
 */
type Recording = 'templates' | 'every-field';

export const recordedFile = (recording: Recording): URL => new URL(`recorded/${recording}.json`, import.meta.url);

/** By what is special about the template. */
export const readRecordedHashes = (recording: Recording): Readonly<Record<string, RecordedHash>> =>
  readJson(readFileSync(recordedFile(recording), 'utf8')) as Readonly<Record<string, RecordedHash>>;
