/** The memory of one process: values that its requests share and other processes cannot see. */
export class ProcessMemory {
  private readonly values = new Map<string, unknown>();

  /** The value under the key, made by `create` if there is none. */
  get<T>(key: string, create: () => T): T {
    if (!this.values.has(key)) this.values.set(key, create());
    return this.values.get(key) as T;
  }

  delete(key: string): void {
    this.values.delete(key);
  }
}
