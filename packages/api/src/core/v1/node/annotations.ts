import {
  type ErrorList,
  type FieldError,
  invalid,
  isJsonObject,
  ownEntry,
  type Path,
  required,
} from '@coxswain/apimachinery';
import type { Taint } from '../../../generated/core/v1.ts';
import { JsonTextError, readJsonText } from '../json-text.ts';
import { validateTaints } from './taints.ts';

const taintsAnnotation = 'scheduler.alpha.kubernetes.io/taints';
const avoidPodsAnnotation = 'scheduler.alpha.kubernetes.io/preferAvoidPods';

/** Validates annotations of former alpha features, as upstream still does. */
export function validateNodeAnnotations(annotations: Record<string, string> | undefined, path: Path): ErrorList {
  const taints = ownEntry(annotations, taintsAnnotation);
  const avoidPods = ownEntry(annotations, avoidPodsAnnotation);
  return [
    ...(taints ? validateTaintsText(taints, path) : []),
    ...(avoidPods ? validateAvoidPods(avoidPods, path) : []),
  ];
}

function validateTaintsText(text: string, path: Path): ErrorList {
  return judge(
    () => readJsonText(text, '[]core.Taint', Array.isArray),
    (taints) => validateTaints((taints ?? []).map(toTaint), path.child(taintsAnnotation)),
    (problem) => invalid(path, taintsAnnotation, problem),
  );
}

/** Validates the value that `read` returns. If it throws a JsonTextError, that is the only error. */
function judge<T>(
  read: () => T,
  validate: (value: T) => ErrorList,
  complain: (problem: string) => FieldError,
): ErrorList {
  let value: T;
  try {
    value = read();
  } catch (error) {
    if (error instanceof JsonTextError) return [complain(error.message)];
    throw error;
  }
  return validate(value);
}

/** Converts a value to a Taint. Field names match case-insensitively, as in Go. */
function toTaint(value: unknown): Taint {
  const fields = new Map(isJsonObject(value) ? Object.entries(value).map(([k, v]) => [k.toLowerCase(), v]) : []);
  const text = (name: string): string => String(fields.get(name) ?? '');
  return { key: text('key'), value: text('value'), effect: text('effect') as Taint['effect'] };
}

function validateAvoidPods(text: string, path: Path): ErrorList {
  return judge(
    () => readJsonText(text, 'v1.AvoidPods', isJsonObject)?.preferAvoidPods,
    (entries) =>
      (Array.isArray(entries) ? entries : []).flatMap((entry: unknown, i) => validateAvoided(entry, path, i)),
    (problem) => invalid(path.child('AvoidPods'), avoidPodsAnnotation, problem),
  );
}

function validateAvoided(entry: unknown, path: Path, index: number): ErrorList {
  const at = path.child(avoidPodsAnnotation).index(index).child('PodSignature');
  const controller = child(child(entry, 'podSignature'), 'podController');
  if (!controller) return [required(at)];
  return controller.controller === true
    ? []
    : [invalid(at.child('PodController', 'Controller'), false, 'must point to a controller')];
}

function child(value: unknown, name: string): Record<string, unknown> | undefined {
  const found = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(found) ? found : undefined;
}
