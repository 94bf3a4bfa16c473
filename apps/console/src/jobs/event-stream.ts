import type { MessageEvent } from '@nestjs/common';
import { Observable } from 'rxjs';

/** An event with its position in the stream, from 1. */
interface Numbered<T> {
  readonly id: number;
  readonly event: T;
}

/** Events that are kept, so that a client that reconnects receives what it has missed. Older ones are dropped. */
const MAX_KEPT = 5000;

/** The events of one job, for any number of readers. */
export class EventStream<T extends object> {
  private readonly kept: Numbered<T>[] = [];
  private readonly readers = new Set<(numbered: Numbered<T> | undefined) => void>();
  private last = 0;
  private ended = false;

  emit(event: T): void {
    const numbered = { id: ++this.last, event };
    this.kept.push(numbered);
    if (this.kept.length > MAX_KEPT) this.kept.shift();
    for (const read of this.readers) read(numbered);
  }

  end(): void {
    this.ended = true;
    for (const read of this.readers) read(undefined);
    this.readers.clear();
  }

  /** All events after the one with this id (0: all that are kept), then those to come; completes with the stream. */
  after(id: number): Observable<MessageEvent> {
    return new Observable((subscriber) => {
      const read = (numbered: Numbered<T> | undefined): void => {
        if (numbered === undefined) subscriber.complete();
        else subscriber.next({ id: String(numbered.id), data: numbered.event });
      };
      for (const numbered of this.kept) if (numbered.id > id) read(numbered);
      if (this.ended) subscriber.complete();
      else this.readers.add(read);
      return () => this.readers.delete(read);
    });
  }
}

/** The `Last-Event-ID` of a client that reconnects; 0: none. */
export const lastEventId = (header: string | undefined): number =>
  header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : 0;
