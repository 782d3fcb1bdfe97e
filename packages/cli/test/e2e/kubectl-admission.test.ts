import { testTranscripts } from './test-transcripts.ts';

testTranscripts('webhooks', 'policies', 'limits');
