import { newLogger, textFieldsOf } from '@coxswain/apimachinery/log';
import { expect, it } from 'vitest';
import { toldOnce } from './told-once.ts';

function setup() {
  const told: string[] = [];
  let time = 0;
  const sink = toldOnce(
    (entry) => told.push(`${entry.severity} ${entry.message}${textFieldsOf(entry)}`),
    () => time,
  );
  const logger = newLogger(sink);
  const wait = (ms: number): void => {
    time += ms;
  };
  return { told, logger, wait };
}

it('logs a repeated error once, and again after ten minutes', () => {
  const { told, logger, wait } = setup();
  const minute = 60_000;
  for (let i = 0; i < 44; i++) {
    logger.error('autoscaler', new Error('no metrics'), { autoscaler: 'web' });
    logger.warn('slow');
    wait(minute / 4);
  }
  expect(told).toEqual([
    'error autoscaler err="no metrics" autoscaler="web"',
    'warning slow',
    'error autoscaler err="no metrics" autoscaler="web"',
    'warning slow',
  ]);
});

it('logs different errors at once, and infos always', () => {
  const { told, logger } = setup();
  for (const reason of ['no metrics', 'no pods', 'no metrics'])
    logger.error('autoscaler', new Error(reason), { autoscaler: 'web' });
  logger.info('here');
  logger.info('here');
  expect(told).toEqual([
    'error autoscaler err="no metrics" autoscaler="web"',
    'error autoscaler err="no pods" autoscaler="web"',
    'info here',
    'info here',
  ]);
});

it('remembers a limited number of messages', () => {
  const { told, logger } = setup();
  logger.warn('first');
  for (let i = 0; i < 200; i++) logger.warn(`${i}`);
  logger.warn('first');
  expect(told.filter((line) => line === 'warning first')).toHaveLength(2);
});
