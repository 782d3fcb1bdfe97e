import { type ErrorList, forbidden, notSupported, type Path } from '@coxswain/apimachinery';

const modes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const exclusive = 'ReadWriteOncePod';

/** Validates access modes: they must be known, and ReadWriteOncePod must be the only one. */
export function validateAccessModes(accessModes: readonly string[], path: Path): ErrorList {
  const errors = accessModes.filter((mode) => !modes.includes(mode)).map((mode) => notSupported(path, mode, modes));
  const hasOther = accessModes.some((mode) => mode !== exclusive && modes.includes(mode));
  if (hasOther && accessModes.includes(exclusive))
    errors.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'));
  return errors;
}

const shortForms = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

/** Formats access modes as `RWO,ROX`. */
export function printAccessModes(accessModes: readonly string[] | null | undefined): string {
  return shortForms
    .filter(([mode]) => accessModes?.includes(mode))
    .map(([, short]) => short)
    .join(',');
}
