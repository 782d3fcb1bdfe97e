import type { GroupVersion, GroupVersionKind } from '../meta/group-version.ts';
import { quote } from '../strconv/quote.ts';
import { API_VERSION_INTERNAL } from './object.ts';
import type { ObjectType } from './object-type.ts';

/** Thrown when a scheme does not know the kind or the type, or cannot convert one to the other. */
export class NotRegisteredError extends Error {
  override readonly name = 'NotRegisteredError';

  static forKind(schemeName: string, gvk: GroupVersionKind): NotRegisteredError {
    const where = `in scheme ${quote(schemeName)}`;
    if (gvk.kind === '') {
      return new NotRegisteredError(`no version ${quote(gvk.apiVersion)} has been registered ${where}`);
    }
    const version =
      gvk.version === API_VERSION_INTERNAL
        ? `the internal version of group ${quote(gvk.group)}`
        : `version ${quote(gvk.apiVersion)}`;
    return new NotRegisteredError(`no kind ${quote(gvk.kind)} is registered for ${version} ${where}`);
  }

  static forType(schemeName: string, type: ObjectType): NotRegisteredError {
    return new NotRegisteredError(`no kind is registered for the type ${type} in scheme ${quote(schemeName)}`);
  }

  static forTarget(schemeName: string, type: ObjectType, target: GroupVersion): NotRegisteredError {
    return new NotRegisteredError(
      `${type} is not suitable for converting to ${quote(target.toString())} in scheme ${quote(schemeName)}`,
    );
  }
}

/** Thrown when an object has no kind. */
export class MissingKindError extends Error {
  override readonly name = 'MissingKindError';

  constructor(data: string) {
    super(`Object 'Kind' is missing in '${data}'`);
  }
}

/** Thrown when an object has no apiVersion. */
export class MissingVersionError extends Error {
  override readonly name = 'MissingVersionError';

  constructor(data: string) {
    super(`Object 'apiVersion' is missing in '${data}'`);
  }
}
