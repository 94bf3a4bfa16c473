import type { ReactNode } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { CataloguePage } from './catalogue/catalogue-page';
import { ClassPage } from './classroom/class-page';
import { ClassroomGate, ClassroomProvider } from './classroom/classroom-gate';
import { ExplorePage } from './explore/explore-page';
import { LessonPage } from './lessons/lesson-page';
import { LessonsPage } from './lessons/lessons-page';
import { MatrixPage } from './matrix/matrix-page';
import { RunPage } from './run/run-page';
import { Header } from './shell/header';
import { PageFocus } from './shell/page-focus';
import { PageTitle } from './shell/page-title';
import { NotFound } from './shared/not-found';
import { StepPage } from './step/step-page';
import { useTexts } from './texts';

/** The page: its header, and the view that the address names. apps/console/src/page/serve-page.ts lists the addresses. */
export function App(): ReactNode {
  const t = useTexts();
  return (
    <ClassroomProvider>
      <a className="skip" href="#content">
        {t.nav.skip}
      </a>
      <Header />
      <PageTitle />
      <main id="content" tabIndex={-1}>
        <ClassroomGate>
          <Switch>
            <Route path="/">
              <Redirect to="/run" replace />
            </Route>
            <Route path="/run/:id?">{({ id }) => <RunPage id={id} />}</Route>
            <Route path="/step/:token?">{({ token }) => <StepPage token={token} />}</Route>
            <Route path="/explore/:id?">{({ id }) => <ExplorePage id={id} />}</Route>
            <Route path="/matrix">
              <MatrixPage />
            </Route>
            <Route path="/catalogue/:name?">{({ name }) => <CataloguePage name={name} />}</Route>
            <Route path="/class">
              <ClassPage />
            </Route>
            <Route path="/lessons/:id?">
              {({ id }) => (id === undefined ? <LessonsPage /> : <LessonPage id={id} />)}
            </Route>
            <Route>
              <div className="page">
                <NotFound href="/run" back={t.nav.run} />
              </div>
            </Route>
          </Switch>
        </ClassroomGate>
      </main>
      <PageFocus />
    </ClassroomProvider>
  );
}
