import { flag, integer } from '@coxswain/component-base';

/** Flags of every command. */
export const globalFlags = {
  v: {
    ...flag(
      integer,
      'Number for the log level verbosity: from 1 on what a cluster does, from 6 on requests of the client',
      0,
    ),
    shorthand: 'v',
  },
};
