import { flag, integer } from '@coxswain/component-base';

/** Flags of every command. */
export const globalFlags = {
  v: {
    ...flag(
      integer,
      'Number for the log level verbosity: 1 and above log the work of a cluster, 6 and above the requests of the client',
      0,
    ),
    shorthand: 'v',
  },
};
