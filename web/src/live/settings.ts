// The viewer's choices, kept in the browser alone.
import { effect, signal } from '@preact/signals';

function kept(key: string): string | null {
  try {
    return localStorage.getItem(`gleaner.${key}`);
  } catch {
    return null; // storage is switched off
  }
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(`gleaner.${key}`, value);
  } catch {
    // It holds until the page is left.
  }
}

export type Theme = 'system' | 'light' | 'dark';
export const THEMES: Theme[] = ['system', 'light', 'dark'];

export const theme = signal<Theme>(THEMES.find((one) => one === kept('theme')) ?? 'system');
export const hasKeys = signal(kept('keys') !== 'off');

export function applySettings(): void {
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme.value;
    keep('theme', theme.value);
  });
  effect(() => keep('keys', hasKeys.value ? 'on' : 'off'));
}
