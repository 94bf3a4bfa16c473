interface Route {
  readonly url: string;
  readonly method: string | string[];
}

/** The methods of each path that an app serves. */
export class RouteMethods {
  private readonly routes: { readonly path: RegExp; readonly methods: readonly string[] }[] = [];

  /** Paths with `*` are left out: they serve files. */
  add({ url, method }: Route): void {
    if (url.includes('*')) return;
    const path = new RegExp(`^${url.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')}$`);
    this.routes.push({ path, methods: [method].flat() });
  }

  /** The methods of the path of an address, in alphabetical order; empty: there is no such path. */
  of(address: string): readonly string[] {
    const [path = ''] = address.split('?');
    const found = this.routes.filter((route) => route.path.test(path)).flatMap(({ methods }) => methods);
    return [...new Set(found)].sort();
  }
}
