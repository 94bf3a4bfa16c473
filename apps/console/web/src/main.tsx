// first, so that the styles of a view override it
import './styles/base.css';
import './styles/shell.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { applyTheme, storedTheme } from './shell/theme';
import { TextsProvider } from './texts';

applyTheme(storedTheme());
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element "root"');
createRoot(root).render(
  <StrictMode>
    <TextsProvider>
      <App />
    </TextsProvider>
  </StrictMode>,
);
